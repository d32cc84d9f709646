"""Jobs that can travel to another process: functions of a module that it can import."""

import os
import signal

from tidings.errors import FilterError


def double(number):
    """A job."""
    return 2 * number


def refuse(number):
    """A job that the input does not allow; its error cannot travel as it is."""
    raise FilterError("a b", 3, f"number {number}")


def die(_number):
    """A job whose process is killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def crash(_number):
    """Our own bug."""
    raise ZeroDivisionError
