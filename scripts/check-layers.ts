import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listPackages, report, scope, type Package } from "./workspace.ts";

interface Room {
  readonly floor: number;
  /** The rooms it may use; `*` for those that stand outside the platform and try it as a whole. */
  readonly uses: readonly string[] | "*";
  /** Rooms of its own floor that it may use all the same, with the reason. */
  readonly beside?: Readonly<Record<string, string>>;
}

type Rooms = Readonly<Record<string, Room>>;

// A room looks down, never up, never sideways, and only at the rooms named for it: rooms.json against every package.json, both ways.
const root = process.cwd();
const { rooms } = JSON.parse(readFileSync(join(root, "rooms.json"), "utf8")) as { rooms: Rooms };
const packages = listPackages(root).slice(1);
report("rooms", [
  ...Object.entries(rooms).flatMap(([name, room]) => checkMap(name, room)),
  ...packages.flatMap(checkPackage),
  ...Object.keys(rooms)
    .filter((name) => !packages.some((candidate) => candidate.room === name))
    .map((name) => `rooms.json names ${name}, but there is no such package`),
]);

function checkMap(name: string, room: Room): string[] {
  if (room.uses === "*") return [];
  return room.uses.flatMap((used) => {
    const other = rooms[used];
    if (other === undefined) return [`${name} uses ${used}, which rooms.json does not know`];
    if (other.floor > room.floor) return [`${name} (floor ${room.floor}) looks up at ${used} (floor ${other.floor})`];
    if (other.floor === room.floor && !isBeside(room, used)) return [`${name} looks sideways at ${used} (floor ${room.floor})`];
    return [];
  });
}

// Only at a room that looks at nobody beside it, so that a floor cannot become a ring.
function isBeside(room: Room, used: string): boolean {
  return room.beside?.[used] !== undefined && rooms[used]?.beside === undefined;
}

function checkPackage({ folder, room: name, manifest }: Package): string[] {
  const room = rooms[name];
  if (room === undefined) return [`${folder} is not in rooms.json`];
  if (manifest.name !== scope + name) return [`${folder}/package.json is named ${manifest.name}, not ${scope}${name}`];
  const declared = listUsedRooms(manifest);
  if (room.uses === "*") return [];
  const { uses } = room;
  return [
    ...declared
      .filter((used) => !uses.includes(used))
      .map((used) => `${folder}/package.json depends on ${used}, which rooms.json does not allow`),
    ...uses
      .filter((used) => !declared.includes(used))
      .map((used) => `rooms.json lets ${name} use ${used}, but ${folder}/package.json does not`),
  ];
}

function listUsedRooms(manifest: Package["manifest"]): string[] {
  const all = {
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  };
  return Object.keys(all).flatMap((dependency) => (dependency.startsWith(scope) ? [dependency.slice(scope.length)] : []));
}
