import { getKind, listLinks } from "@cloudwright/contract";
import { deleteLinksBetween, type Database, type EntityRow } from "@cloudwright/store";

/**
 * Removes the links between entities that are deleted together and may refer to each other, such as security groups. Each of them would
 * otherwise wait until the other one is deleted.
 */
export async function removeMutualLinks(database: Database, rows: readonly Pick<EntityRow, "uid" | "kind">[]): Promise<void> {
  for (const [kind, members] of Map.groupBy(rows, (row) => row.kind)) {
    if (members.length < 2 || !listLinks(getKind(kind)).some(({ isMutual }) => isMutual === true)) continue;
    await deleteLinksBetween(
      database,
      members.map(({ uid }) => uid),
    );
  }
}
