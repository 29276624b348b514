import type { Client } from "@cloudwright/api-client";
import { kinds, type Kind } from "@cloudwright/contract/kinds";
import { renderCountsBriefly } from "../runs/counts.ts";
import { shortUid } from "../runs/find-by-uid.ts";
import { nameStack } from "../stack-uid.ts";

interface Candidate {
  readonly value: string;
  readonly about?: string;
}

type Lister = (client: Client, project: string, verb: string) => Promise<Candidate[]>;

const pageSize = 50;
const decided: readonly string[] = ["approve", "discard"];

/** Completion functions for commands that do not belong to a kind, keyed by command name. */
export const namesBelow: Readonly<Record<string, Lister>> = {
  run: async (client, project, verb) => {
    const query = decided.includes(verb) ? { pageSize, state: "NEEDS_APPROVAL" } : { pageSize };
    const { items } = await client.runs.list(project, query);
    return items.map((run) => ({
      value: shortUid(run.uid),
      about: `${nameStack(run)} ${run.state ?? ""} ${renderCountsBriefly(run.counts)}`.trimEnd(),
    }));
  },
  drift: async (client, project, verb) => {
    if (verb === "check") return listChecked(client, project);
    const { items } = await client.drifts.list(project, { pageSize, all: verb === "get" });
    return items.map((drift) => ({ value: shortUid(drift.uid), about: `${nameStack(drift)} ${drift.state ?? ""}` }));
  },
  state: async (client, project) => {
    const { items } = await client.states.list(project, { pageSize: 1000 });
    return items.map((state) => ({ value: nameStack(state), about: `version ${state.newest?.version ?? 0}` }));
  },
};

/** Lists the entities that can be checked for drift, as KIND/NAME. */
async function listChecked(client: Client, project: string): Promise<Candidate[]> {
  const checked = kinds.filter((kind: Kind) => kind.hasDriftChecks === true);
  const lists = await Promise.all(
    checked.map(async ({ kind, words: [word] }) => {
      const { items } = await client.resource(kind, { project }).list({ pageSize });
      return items.map(({ metadata }) => ({ value: `${word}/${metadata.name}` }));
    }),
  );
  return lists.flat();
}

/** Subcommands of `cloud state` whose second argument is the address of a resource. */
export const takeAddress: readonly string[] = ["adopt", "forget"];

/**
 * Completes resource addresses from the state of the entity in the first argument. For `adopt`, completes the addresses of forgotten
 * resources.
 */
export async function listAddresses(
  client: Client,
  project: string,
  verb: string,
  args: readonly string[],
): Promise<Candidate[]> {
  const [entity = "", address] = args;
  const { items: states } = await client.states.list(project, { pageSize: 1000 });
  const uid = states.find((state) => nameStack(state) === entity || state.entityUid === entity)?.entityUid;
  if (uid === undefined) return [];
  const { items = [], forgotten = [] } = await client.states.resources(project, uid);
  const candidates = verb === "adopt" ? forgotten : items;
  if (address === undefined) return candidates.map((each) => ({ value: each.address ?? "", about: each.id ?? "" }));
  if (verb !== "adopt" || args.length > 2) return [];
  return candidates.filter((each) => each.address === address).map((each) => ({ value: each.id ?? "", about: each.type ?? "" }));
}
