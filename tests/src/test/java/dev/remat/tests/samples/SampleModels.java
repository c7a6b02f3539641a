package dev.remat.tests.samples;

import java.util.List;

/** Every sample, with a size for tests. Tiny models have three classes or tokens at least. */
public final class SampleModels {
    public static final List<SampleModel> ALL = List.of(
            new SampleModel("autoencoder", "B=2,channels=1,width=2,code=4,image=32"),
            new SampleModel("bert", "B=2,T=5,vocab=11,width=8,depth=2,heads=2,hidden=12,context=8,sentences=3"),
            new SampleModel("dcgan", "B=2,channels=1,noise=3,width=1"),
            new SampleModel("ddpm", "B=2,steps=5,width=4,factors=[1,2],units=1,attends=[false,true],groups=2,image=4"),
            new SampleModel("densenet", "B=3,layers=21,classes=3,growth=2,image=32,drop=0.2"),
            new SampleModel("gpt", "B=2,T=5,vocab=11,width=8,depth=2,heads=2,context=8"),
            new SampleModel("llama", "B=2,T=5,vocab=11,width=8,depth=2,heads=2,kv_heads=1,hidden=12"),
            new SampleModel("lstm", "B=2,T=5,features=3,width=4,depth=2,classes=5"),
            new SampleModel("mlp", "B=4,features=6,width=8,depth=2,classes=3"),
            new SampleModel("mobilenet", "B=3,classes=3,width=1,image=32"),
            new SampleModel(
                    "randwire", "B=3,classes=3,width=2,features=4,image=32,stages=[[[0],[0],[1,2],[1,3],[2,4]]]"),
            new SampleModel("resnet", "B=3,layers=14,classes=3,width=2,image=32"),
            new SampleModel("resnet-cifar", "B=2,depth=20,classes=3,width=2,image=8"),
            new SampleModel("transformer-encdec", "B=2,S=4,T=3,vocab=7,width=8,depth=2,heads=2,hidden=12,context=6"),
            new SampleModel("unet", "B=2,classes=3,width=2,image=16,pad=1"),
            new SampleModel("vae", "B=8,pixels=12,hidden=16,latent=4"),
            new SampleModel("vgg", "B=2,classes=3,width=2,hidden=6,image=32"),
            new SampleModel("vit", "B=2,patch=2,width=8,depth=2,heads=2,hidden=12,image=4,classes=3,drop=0.1"));

    private SampleModels() {}

    /** @param name as in the file's name */
    public static SampleModel of(String name) {
        return ALL.stream()
                .filter(sample -> sample.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
