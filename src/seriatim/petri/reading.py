"""A net from its text, in whichever format it is: XML is PNML, what begins with `vars` is MIST's, and
everything else is TINA's."""

from seriatim.petri.covering import Covering
from seriatim.petri.mist import CODE, is_mist, read_mist
from seriatim.petri.net import PetriNet
from seriatim.petri.pnml import read_pnml
from seriatim.petri.tina import read_tina
from seriatim.source import Diagnostic, InputError, SourceText


def read_net(source: SourceText) -> PetriNet:
    """Reads a net; raises `InputError` if the text is not a net, or does not say where it starts."""
    if is_mist(source.text):
        question = read_mist(source.text)
        for place in sorted(question.open_places):
            name = question.net.places[place]
            message = f"the net may start with any number of tokens in {name}"
            hint = f"`ser net cover` decides such nets; or write {name} = {question.net.initial[place]}"
            raise InputError([Diagnostic(CODE, message, None, hint)])
        return question.net
    net = read_pnml(source.text) if source.text.lstrip().startswith("<") else read_tina(source.text)
    if not net.places and not net.transitions:
        raise InputError([Diagnostic("SER902", "the net has no places and no transitions")])
    return net


def read_covering(source: SourceText) -> Covering:
    """Reads a net, with the targets that the text names; raises `InputError`."""
    return read_mist(source.text) if is_mist(source.text) else Covering(read_net(source), ())
