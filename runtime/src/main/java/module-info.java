/** Runs execution plans: executors for CPUs and GPUs, training loop, checkpoints. */
@SuppressWarnings("module")
module dev.remat.runtime {
    requires transitive dev.remat.ir;
    requires java.desktop;
    requires org.apache.commons.csv;
    requires org.bytedeco.cuda;
    requires org.bytedeco.javacpp;

    exports dev.remat.runtime to
            dev.remat.cli;
    exports dev.remat.runtime.check to
            dev.remat.cli;
    exports dev.remat.runtime.checkpoint to
            dev.remat.cli;
    exports dev.remat.runtime.cpu to
            dev.remat.cli;
    exports dev.remat.runtime.cuda to
            dev.remat.cli;
    exports dev.remat.runtime.generate to
            dev.remat.cli;
    exports dev.remat.runtime.io to
            dev.remat.cli;
    exports dev.remat.runtime.io.image to
            dev.remat.cli;
    exports dev.remat.runtime.lane to
            dev.remat.cli;
    exports dev.remat.runtime.launch to
            dev.remat.cli;
    exports dev.remat.runtime.log to
            dev.remat.cli;
    exports dev.remat.runtime.memory to
            dev.remat.cli;
    exports dev.remat.runtime.mpi to
            dev.remat.cli;
    exports dev.remat.runtime.process to
            dev.remat.cli;
    exports dev.remat.runtime.profile to
            dev.remat.cli;
    exports dev.remat.runtime.ranks to
            dev.remat.cli;
    exports dev.remat.runtime.text to
            dev.remat.cli;
    exports dev.remat.runtime.text.data to
            dev.remat.cli;
    exports dev.remat.runtime.train to
            dev.remat.cli;
}
