"""Links that contain a source, in the fragment of an address, which browsers never send to a server."""

from base64 import urlsafe_b64encode
from zlib import compressobj

from seriatim.source import SourceText


def fragment(source: SourceText) -> str:
    """A source as the end of an address, as the page writes and reads it (`web/src/share.ts`)."""
    packer = compressobj(9, wbits=-15)
    packed = packer.compress(f"{source.name}\n{source.text}".encode()) + packer.flush()
    return "s=" + urlsafe_b64encode(packed).decode().rstrip("=")
