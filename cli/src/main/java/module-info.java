/** The {@code remat} command, and its Java interface. */
module dev.remat.cli {
    requires dev.remat.ir;
    requires dev.remat.compiler;
    requires dev.remat.codegen.cuda;
    requires dev.remat.runtime;
    requires info.picocli;
    requires me.tongfei.progressbar;
    requires com.google.gson;
    requires org.eclipse.lsp4j;
    requires org.eclipse.lsp4j.jsonrpc;

    exports dev.remat;

    opens dev.remat.cli.command to
            info.picocli;
    opens dev.remat.cli.console to
            info.picocli;
    opens dev.remat.cli.device to
            info.picocli;
    opens dev.remat.cli.lsp.model to
            info.picocli;
    opens dev.remat.cli.option to
            info.picocli;
    opens dev.remat.cli.option.data to
            info.picocli;
    opens dev.remat.cli.option.onnx to
            info.picocli;
    opens dev.remat.cli.option.tier to
            info.picocli;
    opens dev.remat.cli.runs to
            info.picocli;
}
