"""Certificates for tests, made by openssl: an authority, a broker at 127.0.0.1, a client, and a stranger."""

import shutil
import subprocess

import pytest


def make_certificates(folder):
    """Writes ca.pem, broker.pem, broker.key, client.pem, client.key and stranger.pem into a folder."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")

    def run(*arguments):
        subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, timeout=60)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    for name in ("ca", "stranger"):
        key, pem = folder / f"{name}.key", folder / f"{name}.pem"
        run("req", "-x509", *curve, "-keyout", key, "-out", pem, "-days", 2, "-subj", f"/CN={name}")
    for name in ("broker", "client"):
        key, request, pem = (folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        run("req", *curve, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        extension = folder / f"{name}.ext"
        extension.write_text("subjectAltName = IP:127.0.0.1\n", "utf-8")
        signing = ("-CA", folder / "ca.pem", "-CAkey", folder / "ca.key", "-CAcreateserial", "-days", 2)
        run("x509", "-req", "-in", request, "-out", pem, *signing, "-extfile", extension)
    return folder
