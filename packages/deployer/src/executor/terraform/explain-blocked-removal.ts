import { Fault } from "@cloudwright/platform";
import type { OwnedResource } from "../../cloud.ts";
import { deployerClouds } from "../../clouds.ts";
import { deployerFaults } from "../../faults.ts";
import type { DeployerTask } from "../../task.ts";
import { listAdoptions } from "./adopt.ts";
import { listDeclared } from "./configurations.ts";
import type { Run } from "./run.ts";
import type { Subject } from "./subject.ts";

/** The message names at most this many resources. */
const mostNamed = 20;

/**
 * Returns a permanent fault if the cloud rejected a deletion because of resources that a user told the platform to forget. Another attempt
 * would fail for the same reason. Returns undefined if the failure has another cause.
 */
export async function explainBlockedRemoval(
  error: unknown,
  { payload }: Pick<DeployerTask, "payload">,
  { stack, configuration }: Pick<Subject, "stack" | "configuration">,
  { cloud, endpoint }: Pick<Run, "cloud" | "endpoint">,
): Promise<Fault | undefined> {
  const forgotten = new Set((endpoint.forgotten ?? []).map(({ type, id }) => `${type} ${id}`));
  if (forgotten.size === 0 || !(error instanceof Fault)) return undefined;
  if (!deployerClouds.some(({ dependencyError }) => dependencyError?.test(error.message) === true)) return undefined;
  const { entity, outputs } = payload;
  // Forgotten resources keep their ownership tag, so this list contains those that still exist. Only they can block the deletion.
  const owned = await listOwned(cloud, entity.uid);
  const blocking = owned.filter(({ type, id }) => forgotten.has(`${type} ${id}`));
  if (blocking.length === 0) return undefined;
  const target = `${entity.kind.toLowerCase()}/${entity.name}`;
  const declared = (): readonly string[] => listDeclared(configuration);
  const adoptions = listAdoptions(stack, owned, blocking, declared, entity, { outputs, isRemoval: true });
  const commands = adoptions.map(({ address, id }) => `\`cloud state adopt ${target} '${address}' ${id}\``);
  const names = blocking.map(({ type, id }) => `${type} ${id}`);
  const advice = commands.length === 0 ? "" : ` To delete them too, run ${join(commands)}, then retry the deletion.`;
  const force = ` To keep them, run \`cloud delete ${entity.kind.toLowerCase()} ${entity.name} --force\`.`;
  const message = `forgotten resources that still exist prevent the deletion of others: ${join(names)}.${advice}${force} The cloud says: ${error.message}`;
  return new Fault(deployerFaults.forgotten_blocks, message, { cause: error });
}

/** Returns an empty list if the cloud fails to list the resources. The caller then reports the original failure. */
async function listOwned(cloud: Run["cloud"], entityUid: string): Promise<readonly OwnedResource[]> {
  try {
    return await cloud.listOwned(entityUid);
  } catch {
    return [];
  }
}

function join(words: readonly string[]): string {
  const more = words.length > mostNamed ? ` and ${words.length - mostNamed} more` : "";
  return `${words.slice(0, mostNamed).join(", ")}${more}`;
}
