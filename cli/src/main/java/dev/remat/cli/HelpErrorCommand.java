package dev.remat.cli;
import picocli.CommandLine.Command;
@Command(name="error")
final class HelpErrorCommand {}
