/** Runs execution plans: executors for CPUs and GPUs, training loop, checkpoints. */
module dev.remat.runtime {
    requires transitive dev.remat.ir;
    requires java.desktop;
    requires org.bytedeco.cuda;
    requires org.bytedeco.javacpp;

    exports dev.remat.runtime;
    exports dev.remat.runtime.check;
    exports dev.remat.runtime.checkpoint;
    exports dev.remat.runtime.cpu;
    exports dev.remat.runtime.cuda;
    exports dev.remat.runtime.generate;
    exports dev.remat.runtime.io;
    exports dev.remat.runtime.lane;
    exports dev.remat.runtime.log;
    exports dev.remat.runtime.profile;
    exports dev.remat.runtime.text;
    exports dev.remat.runtime.train;
}
