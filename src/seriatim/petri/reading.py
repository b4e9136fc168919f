"""A net from its text, in whichever format it is: XML is PNML, everything else is TINA's."""

from seriatim.petri.net import PetriNet
from seriatim.petri.pnml import read_pnml
from seriatim.petri.tina import read_tina
from seriatim.source import SourceText


def read_net(source: SourceText) -> PetriNet:
    """Reads a net; raises `InputError` if the text is not a net."""
    return read_pnml(source.text) if source.text.lstrip().startswith("<") else read_tina(source.text)
