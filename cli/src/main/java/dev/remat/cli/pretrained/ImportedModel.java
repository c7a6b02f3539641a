package dev.remat.cli.pretrained;

import dev.remat.runtime.io.StoredTensor;
import java.util.List;

/**
 * A model that was made of a folder.
 *
 * @param family its {@code model_type}
 * @param text in canonical form
 * @param tensors by their names in the model, mapped from the folder's files
 * @param fresh parameters that the folder lacks, which start as the model says
 * @param left tensors of the folder that the model does not have
 * @param length of texts to begin with, as far as positions reach; 0 of what reads none
 * @param parameters how many numbers are trained or kept, {@code fresh} included
 */
public record ImportedModel(
        String family,
        Task task,
        String text,
        List<StoredTensor> tensors,
        List<String> fresh,
        List<String> left,
        long length,
        long parameters) {
    public ImportedModel {
        tensors = List.copyOf(tensors);
        fresh = List.copyOf(fresh);
        left = List.copyOf(left);
    }
}
