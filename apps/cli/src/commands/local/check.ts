import { probeHost, renderReport, runTool } from "@cloudwright/hosts";
import { addExamples, onlyHere, type Configure } from "../../command-context.ts";
import { readCommonFlags } from "../../common-flags.ts";
import { ExitRequest, foundCode } from "../../exit-codes.ts";
import { createOutput, isStructured } from "../../output/output.ts";
import { addAgentFlag, findHostFolder } from "./host-folder.ts";

/** `cloud local check`: checks the requirements of a host on this machine. Changes nothing, and works without root. */
export const configureLocalCheck: Configure = (command, { world }) => {
  addAgentFlag(command);
  addExamples(command, "cloud local check", "sudo cloud local check", "cloud local check -o json");
  onlyHere(command, async (_args, flags, self) => {
    const output = createOutput(world, readCommonFlags(self));
    const report = await probeHost({ directory: findHostFolder(world, flags), run: runTool }, world.signal);
    if (isStructured(output.format)) await output.structure(report);
    else output.line(renderReport(report));
    if (!report.isCapable) throw new ExitRequest(foundCode);
  });
};
