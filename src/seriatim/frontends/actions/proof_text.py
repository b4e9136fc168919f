"""Proofs from the lines of a certificate, read in the words of a program."""

from dataclasses import replace

from seriatim.actions.printer import print_actions
from seriatim.actions.syntax import ActionProgram, Proof
from seriatim.frontends.actions.parser import parse
from seriatim.source import Diagnostic, InputError, SourceText


def read_proof(program: ActionProgram, lines: tuple[str, ...]) -> Proof:
    """The block `sequential` that some lines spell; raises `InputError`."""
    text = print_actions(replace(program, proof=None)) + "\n" + "\n".join(lines) + "\n"
    whole = parse(SourceText("the proof of the certificate", text))
    if replace(whole, proof=None) != replace(program, proof=None):
        raise InputError([Diagnostic("SER405", "`proof` contains more than a `sequential` block")])
    found = whole.proof
    if found is None:
        raise InputError([Diagnostic("SER405", "`proof` is no `sequential` block")])
    return found
