import type { EventJson } from "@cloudwright/api-client";
import { renderAge } from "./age.ts";
import type { Paint } from "./paint.ts";
import type { Column } from "./table.ts";

export function eventColumns({
  nowMs,
  paint,
  withEntity,
}: {
  nowMs: number;
  paint: Paint;
  withEntity: boolean;
}): Column<EventJson>[] {
  return [
    { title: "AGE", value: ({ at }) => renderAge(at, nowMs) },
    { title: "TYPE", value: ({ type = "" }) => type, paint: paint.phase },
    { title: "REASON", value: ({ reason = "" }) => reason },
    ...(withEntity ? [{ title: "ENTITY", value: ({ kind = "", name = "" }: EventJson) => `${kind.toLowerCase()}/${name}` }] : []),
    { title: "ACTOR", value: ({ actor }) => actor || "platform" },
    { title: "MESSAGE", value: ({ message = "" }) => message },
  ];
}
