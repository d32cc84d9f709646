"""Certificates that last as long as a test: a broker's, its clients', and wrong ones."""

import datetime as dt
import ssl

import trustme


class Certificates:
    """Files in a folder, made by an authority of our own."""

    def __init__(self, folder):
        self.folder = folder
        self.authority = trustme.CA()
        self.authority.cert_pem.write_to_path(folder / "ca.pem")
        self.issue("broker", "localhost", "127.0.0.1")

    def issue(self, file, *names, authority=None, **options):
        """A certificate and its key, as `file`.pem and `file`.key."""
        one = (authority or self.authority).issue_cert(*names, **options)
        (self.folder / f"{file}.pem").write_bytes(b"".join(part.bytes() for part in one.cert_chain_pems))
        key = self.folder / f"{file}.key"
        key.unlink(missing_ok=True)
        key.touch(mode=0o600)
        key.write_bytes(one.private_key_pem.bytes())
        return one

    def client(self, file=None):
        """What a client brings that believes our authority, and shows a certificate when `file` names one."""
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        if file is not None:
            context.load_cert_chain(self.folder / f"{file}.pem", self.folder / f"{file}.key")
        return context


def yesterday():
    """When a certificate has expired."""
    return dt.datetime.now(dt.UTC) - dt.timedelta(days=1)
