import { getKind } from "@cloudwright/contract/kinds";
import { addExamples, onServer, type Configure } from "../command-context.ts";
import { checkKind } from "../list-flags.ts";
import { printKey } from "../output/print-key.ts";
import { parseReferences, requireVerb, type Named } from "../references.ts";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/** `cloud apikey rotate ci`: replaces an API key under the same name. The old key stops working immediately. */
export const configureRotate: Configure = (command, context) => {
  const { kind } = context;
  if (kind === undefined) command.argument("<kind>", "apikey", checkKind);
  command.argument(kind === undefined ? "[name]" : "<name>", "name or uid");
  addExamples(command, "cloud apikey rotate ci > key.txt");
  onServer(command, context, async (session, args) => {
    const [named] = parseReferences(kind, args);
    requireVerb((named as Named).kind, "rotate");
    const [reference] = (named as Named).references;
    if (reference === undefined) throw new Fault(cliFaults.usage, "the name of the API key is required");
    const entity = await session.client.apiKeys.rotate(reference.name, { signal: session.world.signal });
    await printKey(session, { kind: getKind("ApiKey"), entity }, "rotated");
  });
};
