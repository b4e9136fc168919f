"""`ser run`: a random run, step by step."""

import json
from collections.abc import Sequence
from random import Random, SystemRandom

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import InputFile, read
from seriatim.cli.limits_options import limits_options
from seriatim.cli.reading import parsed
from seriatim.cli.terminal import Terminal, color_option
from seriatim.network.growth import growth
from seriatim.network.inputs import read_input
from seriatim.network.limits import LimitReached, Limits
from seriatim.network.random_run import random_run
from seriatim.network.unfolding import ProgramUnfolding
from seriatim.report.limits_text import limit_diagnostic
from seriatim.report.sample_text import sample_json, sample_text
