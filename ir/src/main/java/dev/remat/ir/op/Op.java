package dev.remat.ir.op;

/** placeholder */
public interface Op {}
