/**
 * The Java interface: a {@link dev.remat.Model} gives a {@link dev.remat.Plan}, and a plan a {@link
 * dev.remat.Training}.
 *
 * <p>Models and plans are values: any thread may use them, and nothing of them is closed. A training holds memory: it
 * belongs to the thread that began it, and is closed by that one.
 *
 * <p>What a user can mend is told by the message of an exception: {@code ModelException} of a model or setting, {@code
 * BudgetException} where no plan fits, {@code DataException} of data, {@code CorruptFileException} of a checkpoint,
 * {@code NotANumberException} of a loss.
 */
package dev.remat;
