package dev.remat.benchmarks.libtorch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * A sample as one would write it for PyTorch: the same operations, shapes, dropout, parameters and optimizer.
 *
 * @param clipNorm of all gradients, or 0 for none
 */
record Twin(Batch batch, Forward forward, Rule rule, double clipNorm) {
    /** Draws inputs, of type i64 where they are whole numbers. */
    interface Batch {
        SequencedMap<String, Tensor> draw(Sizes sizes);
    }

    interface Forward {
        Tensor loss(Layers layers, Sizes sizes, Map<String, Tensor> batch);
    }

    interface Rule {
        Optimizer over(TensorVector parameters);
    }

    static final Map<String, Twin> ALL = all();

    private static Map<String, Twin> all() {
        Map<String, Twin> twins = new LinkedHashMap<>();
        twins.put("gpt", new Twin(TextModels::tokens, TextModels::gpt, adamw(3e-4, 0.95, 1e-8, 0.1), 1));
        twins.put("llama", new Twin(TextModels::tokens, TextModels::llama, adamw(3e-4, 0.95, 1e-5, 0.1), 1));
        twins.put("bert", new Twin(TextModels::sentences, TextModels::bert, adamw(1e-4, 0.999, 1e-8, 0.01), 1));
        twins.put("vit", new Twin(ImageModels::images, ImageModels::vit, adamw(1e-3, 0.999, 1e-8, 0.1), 1));
        twins.put("mlp", new Twin(ImageModels::rows, ImageModels::mlp, sgd(0.01, 0.9, 0), 0));
        twins.put("lstm", new Twin(RecurrentModels::frames, RecurrentModels::cells, sgd(0.1, 0.9, 0), 0));
        twins.put("lstm-network", new Twin(RecurrentModels::frames, RecurrentModels::network, sgd(0.1, 0.9, 0), 0));
        twins.put("resnet-cifar", new Twin(ImageModels::images, ImageModels::resnetCifar, sgd(0.1, 0.9, 1e-4), 0));
        twins.put("unet", new Twin(ImageModels::scenes, ImageModels::unet, sgd(0.001, 0.99, 0), 0));
        twins.put("vgg", new Twin(ImageModels::images, ImageModels::vgg, sgd(0.01, 0.9, 5e-4), 0));
        return twins;
    }

    private static Rule sgd(double rate, double momentum, double decay) {
        return parameters -> {
            SGDOptions options = new SGDOptions(rate);
            options.momentum().put(momentum);
            options.weight_decay().put(decay);
            return new SGD(parameters, options);
        };
    }

    private static Rule adamw(double rate, double beta2, double eps, double decay) {
        return parameters -> {
            AdamWOptions options = new AdamWOptions(rate);
            DoublePointer betas = options.betas();
            betas.put(1, beta2);
            options.eps().put(eps);
            options.weight_decay().put(decay);
            return new AdamW(parameters, options);
        };
    }

    /** Whole numbers below a bound. */
    static Tensor integers(long bound, long... shape) {
        return torch.randint(bound, shape).to(torch.ScalarType.Long);
    }

    static SequencedMap<String, Tensor> batch(List<String> names, Tensor... values) {
        SequencedMap<String, Tensor> batch = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            batch.put(names.get(i), values[i]);
        }
        return batch;
    }
}
