import type { ResourceChangeJson } from "@cloudwright/api-client";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import { flatten } from "../../output/table.ts";
import { requireStack } from "../../stack-uid.ts";
import { addStackArgument, parseVersion } from "./stack.ts";

const signs: Readonly<Record<string, string>> = { added: "+", changed: "~", removed: "-" };

/**
 * `cloud state diff cluster/dev 3 5`: lists the resources, attributes and outputs that differ between two versions. Values are not shown.
 */
export const configureStateDiff: Configure = (command, context) => {
  addStackArgument(command)
    .argument("[from]", "earlier version (default: the one before the later version)", parseVersion)
    .argument("[to]", "later version (default: the newest)", parseVersion);
  addExamples(
    command,
    "cloud state diff cluster/dev",
    "cloud state diff cluster/dev 3",
    "cloud state diff cluster/dev 3 5 -o json",
  );
  onServer(command, context, async (session, [entity = "", from, to]) => {
    const { client, output, project, world } = session;
    const asked = { from: toNumber(from), to: toNumber(to), signal: world.signal };
    const diff = await client.states.diff(project, await requireStack(session, entity), asked);
    if (isStructured(output.format)) return output.structure(diff);
    const { resources = [], outputs = [] } = diff;
    for (const change of resources) output.line(renderResource(change));
    for (const { name = "", change = "" } of outputs) output.line(`${signs[change] ?? "?"} output ${flatten(name)}`);
    if (resources.length + outputs.length === 0)
      output.note(`no differences between versions ${diff.from?.version ?? 0} and ${diff.to?.version ?? 0}`);
  });
};

function renderResource({ address = "", change = "", attributes = [] }: ResourceChangeJson): string {
  const which = change === "changed" && attributes.length > 0 ? `: ${attributes.join(", ")}` : "";
  return `${signs[change] ?? "?"} ${flatten(`${address}${which}`)}`;
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
