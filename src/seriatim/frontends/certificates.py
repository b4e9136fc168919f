"""Certificates from text, whatever languages their specifications are written in."""

from seriatim.certificate.certificate import Certificate, read
from seriatim.frontends.ser.specification import read_specification


def read_certificate(text: str) -> Certificate:
    """The certificate that a text describes; raises `InputError` where it departs from the format at all."""
    return read(text, read_specification)
