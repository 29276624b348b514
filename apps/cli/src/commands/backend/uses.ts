import type { BackendUseJson } from "@cloudwright/contract/gen/cloudwright/v1/backend_pb.ts";
import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { checkKind } from "../../list-flags.ts";
import { renderPlace } from "../../kinds/backend.ts";
import { isStructured } from "../../output/output.ts";
import { parseReferences, requireVerb } from "../../references.ts";

/**
 * `cloud backend uses`: lists the entities whose states are stored outside the platform, and shows for each one whether a backend allows
 * it.
 */
export const configureBackendUses: Configure = (command, context) => {
  if (context.kind === undefined) command.argument("<kind>", "backend", checkKind);
  command.option("--unlisted", "show only entities whose external state is not allowed by any backend");
  addExamples(command, "cloud backend uses", "cloud backend uses --unlisted");
  onServer(command, context, async (session, args, flags) => {
    const { client, output, world } = session;
    if (context.kind === undefined) for (const { kind } of parseReferences(undefined, args)) requireVerb(kind, "uses");
    const items: BackendUseJson[] = [];
    for await (const use of client.listBackendUses({ signal: world.signal })) {
      if (flags["unlisted"] !== true || (use.problem ?? "") !== "") items.push(use);
    }
    if (isStructured(output.format)) return output.structure({ items });
    if (output.format === "name") return items.forEach(({ uid = "" }) => output.line(uid));
    if (items.length === 0) {
      const none = "every external state is allowed by a backend";
      return output.note(flags["unlisted"] === true ? none : "no entity stores its state outside the platform");
    }
    output.table(
      [
        { title: "PROJECT", value: ({ project = "" }) => project },
        { title: "ENTITY", value: ({ kind = "", name = "" }) => `${kind.toLowerCase()}/${name}` },
        { title: "TYPE", value: ({ type = "" }) => type },
        { title: "STORED IN", value: (use) => renderPlace(use) },
        { title: "LOCATION", value: ({ location = "" }) => location },
        { title: "BACKEND", value: ({ backend = "" }) => backend },
        { title: "PROBLEM", value: ({ message = "" }) => message },
        ...(output.format === "wide" ? [{ title: "UID", value: ({ uid = "" }: BackendUseJson) => uid }] : []),
      ],
      items,
    );
    if (items.some(({ problem = "" }) => problem !== ""))
      output.note("to let an entity keep its backend, run: cloud backend adopt NAME KIND/NAME -p PROJECT");
  });
};
