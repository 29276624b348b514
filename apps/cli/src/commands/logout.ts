import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onlyHere, type Configure } from "../command-context.ts";
import { readCommonFlags } from "../common-flags.ts";
import { readConfig, writeConfig } from "../connection/config-file.ts";
import { cliFaults } from "../faults.ts";
import { createOutput } from "../output/output.ts";

/** `cloud logout`: removes the saved API key of a context. The key itself stays valid until it is deleted on the server. */
export const configureLogout: Configure = (command, { world }) => {
  addExamples(command, "cloud logout", "cloud logout --context prod");
  onlyHere(command, async (_args, _flags, self) => {
    const common = readCommonFlags(self);
    const config = await readConfig(world.home);
    const name = common.context ?? config.currentContext;
    const entry = name === undefined ? undefined : config.contexts[name];
    if (name === undefined || entry === undefined)
      throw new Fault(cliFaults.no_context, `there is no context "${name ?? ""}" to log out of`);
    const { apiKey: _forgotten, ...rest } = entry;
    await writeConfig(world.home, { ...config, contexts: { ...config.contexts, [name]: rest } });
    createOutput(world, common).done(`removed the key of context ${name}`);
  });
};
