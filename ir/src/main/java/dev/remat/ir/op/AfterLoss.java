package dev.remat.ir.op;

import java.util.List;

/**
 * An operation that follows the loss: of gradients, or one that changes what outlives the step. What is cut into
 * micro-batches is the forward graph, so that these have no role in the batch.
 */
public sealed interface AfterLoss extends Op
        permits AllFinite,
                Assign,
                AttentionBiasGradient,
                AttentionGradient,
                ChunkSquares,
                AvgPool2dGradient,
                ConditionalUpdate,
                Conv2dWeightGradient,
                CrossEntropyGradient,
                CtcLossGradient,
                DropoutGradient,
                EmbeddingGradient,
                Exchange,
                LearningRate,
                MaxPool2dGradient,
                MeanLoss,
                Message,
                MicroBatchUpdate,
                NormalizeGradient,
                ElementwiseUpdate,
                OwnShare,
                SumOfChunks,
                SumOfSquares,
                UnaryGradient,
                UpdateRows {
    /** @throws IllegalStateException always */
    @Override
    default List<BatchRole> batchRoles(BatchOperands operands) {
        throw new IllegalStateException(mnemonic() + " follows the loss and has no role in the batch");
    }
}
