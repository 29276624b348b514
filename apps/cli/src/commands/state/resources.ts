import { addExamples, onServer, type Configure } from "../../command-context.ts";
import { isStructured } from "../../output/output.ts";
import { requireStack } from "../../stack-uid.ts";
import { addStackArgument } from "./stack.ts";

/** `cloud state resources network/main`: lists the addresses and ids of the resources in the newest version of a state. */
export const configureStateResources: Configure = (command, context) => {
  addStackArgument(command);
  addExamples(command, "cloud state resources cluster/dev", "cloud state resources cluster/dev -o name");
  onServer(command, context, async (session, [entity = ""]) => {
    const { client, output, project, world } = session;
    const listed = await client.states.resources(project, await requireStack(session, entity), { signal: world.signal });
    if (isStructured(output.format)) return output.structure(listed);
    const { items = [], forgotten = [] } = listed;
    if (output.format === "name") return items.forEach(({ address = "" }) => output.line(address));
    const rows = [
      ...items.map((item) => ({ ...item, note: "" })),
      ...forgotten.map((item) => ({ ...item, note: "forgotten; not in the state" })),
    ];
    if (rows.length === 0) return output.note(`the state of ${entity} has no resources`);
    output.table(
      [
        { title: "ADDRESS", value: ({ address = "" }) => address },
        { title: "ID", value: ({ id = "" }) => id },
        { title: "NOTE", value: ({ note }) => note },
      ],
      rows,
    );
  });
};
