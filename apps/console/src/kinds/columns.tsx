import { findCloud } from "@cloudwright/contract/clouds";
import { CloudLabel } from "../clouds/cloud-label.tsx";
import type { Column } from "../design/arrange-rows.ts";
import type { Row } from "./kind-view.ts";

export const cloudColumn: Column<Row> = {
  id: "cloud",
  title: "Cloud",
  width: "128px",
  wide: true,
  text: ({ where }) => `${where.cloud} ${findCloud(where.cloud)?.title ?? ""}`,
  render: ({ where }) => <CloudLabel cloud={where.cloud} />,
};

/** Shows the cloud and region of an entity. */
export const locationColumn: Column<Row> = {
  id: "region",
  title: "Location",
  width: "minmax(204px, .8fr)",
  wide: true,
  text: ({ where }) => `${where.cloud} ${findCloud(where.cloud)?.title ?? ""} ${where.region}`,
  render: ({ where }) => <CloudLabel cloud={where.cloud} region={where.region} isShort={where.region !== ""} />,
};

/** Creates a text column, by default for wide screens only. */
export function textColumn(
  id: string,
  title: string,
  text: (row: Row) => string | number | undefined,
  more: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, title, wide: true, width: "minmax(96px, 1fr)", text: (row) => String(text(row) ?? ""), ...more };
}

/** Creates a column that shows how many entities each row contains. */
export function countColumn(title: string): Column<Row> {
  return textColumn("count", title, ({ childCount }) => childCount, {
    width: "80px",
    isNumber: true,
    order: ({ childCount }) => childCount,
  });
}
