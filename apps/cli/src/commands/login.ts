import { Fault } from "@cloudwright/platform/fault";
import { addExamples, onlyHere, type Configure } from "../command-context.ts";
import { readCommonFlags } from "../common-flags.ts";
import { readConfig, writeConfig } from "../connection/config-file.ts";
import { findLocalServer } from "../connection/local-server.ts";
import { connect } from "../connection/session.ts";
import { cliFaults } from "../faults.ts";
import { createOutput } from "../output/output.ts";
import { askSecret } from "../prompt.ts";

/** `cloud login`: verifies an API key and saves it with its server as a context. The key is never a command-line argument. */
export const configureLogin: Configure = (command, { world }) => {
  command
    .option("--key-stdin", "read the key from standard input instead of prompting")
    .option("--name <context>", "name of the context (default: the server's host)");
  addExamples(
    command,
    "cloud login --server https://cloud.example.com",
    "cloud login --server http://127.0.0.1:8480 --key-stdin < key.txt",
  );
  onlyHere(command, async (_args, flags, self) => {
    const common = readCommonFlags(self);
    const output = createOutput(world, common);
    const server = common.server ?? world.environment["CLOUDWRIGHT_SERVER"] ?? findLocalServer(world.home)?.address;
    if (server === undefined) throw new Fault(cliFaults.no_server, "a server is required: --server URL");
    const apiKey =
      flags["keyStdin"] === true ? (await world.stdin.readAll()).trim() : await askSecret(world, `API key for ${server}`);
    if (apiKey === "") throw new Fault(cliFaults.usage, "the key is empty");
    const { user } = await connect(world, { server, apiKey }).whoAmI({ signal: world.signal });
    const config = await readConfig(world.home);
    const name = (flags["name"] as string | undefined) ?? common.context ?? new URL(server).host;
    const project = common.project ?? config.contexts[name]?.project;
    const entry = { server, apiKey, ...(project === undefined ? {} : { project }) };
    await writeConfig(world.home, { ...config, currentContext: name, contexts: { ...config.contexts, [name]: entry } });
    output.done(`logged in to ${server} as ${user}; context ${name}`);
  });
};
