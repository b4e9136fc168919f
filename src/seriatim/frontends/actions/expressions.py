"""Parses expressions and resolves their names and types at once, by recursive descent."""

from seriatim.actions.expressions import Copies, InMajority
from seriatim.actions.syntax import Collection, MajorityType
from seriatim.frontends.actions.lexer import Kind, wrong
from seriatim.frontends.actions.operands import OperandParser
from seriatim.frontends.actions.scope import BOOL, INT, Typed, type_name
from seriatim.terms.expressions import Apply, Constant
from seriatim.terms.operators import INFIX, Op

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_MAX_DEPTH = 100
_CONNECTED: dict[str, Op] = {"and": "&&", "or": "||"}


class ExpressionParser(OperandParser):
    """Operators, by how tightly they bind."""

    # --- expressions --------------------------------------------------------------------------------------

    def expression(self) -> Typed:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise wrong("SER551", "this expression is nested too deeply", self.token.span, "split it up")
        try:
            return self._conditional()
        finally:
            self._depth -= 1

    def _conditional(self) -> Typed:
        one = self._implication()
        if not self.accept("if"):
            return one
        condition = self._of(BOOL, self._implication())
        self.expect("else")
        other = self._of(one.type, self.expression())
        span = one.expression.span.to(other.span)
        return Typed(Apply("?", (condition, one.expression, other), span), one.type)

    def _implication(self) -> Typed:
        left = self._chain("or")
        if not self.accept("=>"):
            return left
        right = self._implication()
        return self._connect("==>", left, right)

    def _conjunction(self) -> Typed:
        return self._chain("and")

    def _chain(self, word: str) -> Typed:
        parse = self._conjunction if word == "or" else self._negation
        left = parse()
        while self.accept(word):
            left = self._connect(_CONNECTED[word], left, parse())
        return left

    def _connect(self, operator: Op, left: Typed, right: Typed) -> Typed:
        one, other = self._of(BOOL, left), self._of(BOOL, right)
        return Typed(Apply(operator, (one, other), one.span.to(other.span)), BOOL)

    def _negation(self) -> Typed:
        start = self.token
        if self.accept("not"):
            operand = self._of(BOOL, self._negation())
            return Typed(Apply("!", (operand,), start.span.to(operand.span)), BOOL)
        return self._comparison()

    def _comparison(self) -> Typed:
        left = self.sum_of_products()
        found: list[Typed] = []
        while self.token.text in _COMPARISONS and self.token.kind is Kind.SYMBOL:
            operator = INFIX[self.next().text]
            right = self.sum_of_products()
            found.append(self._compare(operator, left, right))
            left = right
        if not found:
            return self._membership(left) if self.at("in") else left
        whole = found[0]
        for each in found[1:]:  # `1 <= k <= N` means `1 <= k and k <= N`
            whole = self._connect("&&", whole, each)
        return whole

    def _compare(self, operator: Op, left: Typed, right: Typed) -> Typed:
        span = left.expression.span.to(right.expression.span)
        if left.type != right.type:
            message = f"{type_name(left.type)} is compared with {type_name(right.type)}"
            raise wrong("SER553", message, span)
        if isinstance(left.type, MajorityType):
            raise wrong("SER553", "quorums cannot be compared", span, "compare their members with `in`")
        if operator not in ("==", "!=") and left.type != INT:
            raise wrong("SER553", f"`{operator}` compares integers, not {type_name(left.type)}", span)
        return Typed(Apply(operator, (left.expression, right.expression), span), BOOL)

    def _membership(self, left: Typed) -> Typed:
        self.expect("in")
        token = self.token
        if token.text in self.scope.globals and isinstance(self.scope.globals[token.text].type, Collection):
            target, type_ = self.target()
            if len(type_.message) != 1:
                hint = "use `copies((a, b), target)`"
                raise wrong("SER553", "messages of this global have several parts", token.span, hint)
            message = self._of(type_.message[0], left)
            copies = Copies((message,), target, message.span.to(target.span))
            return Typed(Apply(">", (copies, Constant(0, token.span)), copies.span), BOOL)
        majority = self.sum_of_products()
        if not isinstance(majority.type, MajorityType):
            raise wrong("SER553", "`in` needs a set, a bag or a quorum", majority.expression.span)
        member = self._of(INT, left)
        span = member.span.to(majority.expression.span)
        return Typed(InMajority(member, majority.expression, span), BOOL)

    def sum_of_products(self) -> Typed:
        left = self._product()
        while self.at("+", "-"):
            operator = INFIX[self.next().text]
            left = self._calculate(operator, left, self._product())
        return left

    def _product(self) -> Typed:
        left = self._prefix()
        while self.accept("*"):
            left = self._calculate("*", left, self._prefix())
        return left

    def _calculate(self, operator: Op, left: Typed, right: Typed) -> Typed:
        one, other = self._of(INT, left), self._of(INT, right)
        return Typed(Apply(operator, (one, other), one.span.to(other.span)), INT)

    def _prefix(self) -> Typed:
        start = self.token
        if self.accept("-"):
            operand = self._of(INT, self._prefix())
            if isinstance(operand, Constant) and not isinstance(operand.value, bool):
                return Typed(Constant(-operand.value, start.span.to(operand.span)), INT)
            return Typed(Apply("neg", (operand,), start.span.to(operand.span)), INT)
        return self._primary()

    def _primary(self) -> Typed:
        token = self.token
        if token.kind is Kind.NUMBER:
            self.next()
            return Typed(Constant(int(token.text), token.span), INT)
        if self.at("true", "false"):
            self.next()
            return Typed(Constant(token.text == "true", token.span), BOOL)
        if self.accept("("):
            inside = self.expression()
            self.expect(")")
            return inside
        if self.at("all", "some"):
            return self._parse_quantifier()
        if self.at("old"):
            return self._old()
        if token.kind is Kind.NAME:
            return self._call() if self.follows("(") else self._parse_named()
        raise self.unexpected("an expression")
