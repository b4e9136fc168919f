"""Network systems: from programs or JSON, their closures, serial automata and runs."""
