package dev.remat.ir.op;

/**
 * Changes a parameter, operand 0, and the optimizer's state by the gradient, operand 1, which may be of another
 * floating dtype than the parameter.
 */
public sealed interface OptimizerUpdate extends AfterLoss, Update
        permits AdafactorUpdate, AdagradUpdate, AdamUpdate, AdamVariantUpdate, LionUpdate, RmsPropUpdate, SgdUpdate {}
