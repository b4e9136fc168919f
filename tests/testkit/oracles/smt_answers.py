"""What solvers answer to a script of SMT-LIB, question by question."""

import cvc5
import z3

MILLISECONDS = 20_000


def z3_answers(script: str) -> list[str]:
    context = z3.Context()
    text = f"(set-option :timeout {MILLISECONDS})\n{script}"
    return str(z3.Z3_eval_smtlib2_string(context.ref(), text)).split()


def cvc5_answers(script: str) -> list[str]:
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("incremental", "true")
    solver.setOption("tlimit-per", str(MILLISECONDS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    answers: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        answers.extend(str(command.invoke(solver, parser.getSymbolManager())).split())
    return answers
