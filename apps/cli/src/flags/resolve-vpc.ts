import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import type { Session } from "../connection/session.ts";
import { resourceOf } from "../entities.ts";
import { cliFaults } from "../faults.ts";

/** Matches the id that a cloud assigns to a network: `vpc-0abc`, or a resource path. */
const cloudId = /^vpc-[0-9a-f]+$|\//;

/** Resolves `--vpc`. Returns a name or uid unchanged. For a cloud id, finds the network that has it. */
export async function resolveVpc(session: Session, vpc: string): Promise<string> {
  if (!cloudId.test(vpc)) return vpc;
  const { signal } = session.world;
  for await (const entity of resourceOf(session, getKind("Network")).listAll({ signal })) {
    const { metadata, status } = entity as Stored<EntityByKind["Network"]>;
    if (metadata.name === vpc || status?.networkId === vpc) return metadata.name;
  }
  throw new Fault(cliFaults.unknown_vpc, `no network in project ${session.project} has the cloud id ${vpc}`);
}
