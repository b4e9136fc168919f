"""What tests share: import it as `testkit`. README.md lists all modules, and says which to use."""
