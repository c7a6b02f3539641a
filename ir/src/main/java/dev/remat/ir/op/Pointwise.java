package dev.remat.ir.op;

/** A function of the numbers or bools at one index and of nothing else: what updates are made of. */
public sealed interface Pointwise extends Elementwise permits Binary, Compare, Select, Unary {}
