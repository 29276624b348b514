import { addExamples, onServer, type Configure } from "../command-context.ts";
import { discover, type Discovered } from "../existing/discover.ts";
import { isStructured } from "../output/output.ts";
import type { Column } from "../output/table.ts";

/** `cloud k8s discover --account A`: lists all clusters in an account, including those that the platform did not create. */
export const configureDiscover: Configure = (command, context) => {
  command.requiredOption("--account <name>", "account to search");
  command.option("--region <region>", "search only this region (default: all regions)");
  addExamples(command, "cloud k8s discover --account prod", "cloud k8s discover --account prod --region eu-west-1 -o json");
  onServer(command, context, async (session, _args, flags) => {
    const account = flags["account"] as string;
    const { clusters: found } = await discover(session, { account, region: flags["region"] as string | undefined }, flags);
    const { output } = session;
    if (isStructured(output.format)) return output.structure({ items: found });
    if (output.format === "name") return found.forEach(({ id = "" }) => output.line(id));
    if (found.length === 0) return output.note(`the account ${account} has no clusters`);
    return output.table(output.format === "wide" ? [...columns, ...wide] : columns, found);
  });
};

const columns: readonly Column<Discovered>[] = [
  { title: "NAME", value: ({ name = "" }) => name },
  { title: "REGION", value: ({ region = "" }) => region },
  { title: "STATUS", value: ({ state = "" }) => state },
  { title: "VERSION", value: ({ version = "" }) => version },
  { title: "NODES", value: ({ nodes = 0 }) => String(nodes) },
  { title: "USE", value: ({ use }) => use },
  { title: "ENTITY", value: ({ entity }) => entity },
];
const wide: readonly Column<Discovered>[] = [
  { title: "ENDPOINT", value: ({ endpoint = "" }) => endpoint },
  { title: "ID", value: ({ id = "" }) => id },
];
