import { findCloud } from "@cloudwright/contract/clouds";
import type { ReactNode } from "react";
import { Icon } from "../design/icons.tsx";
import { findCloudView } from "./registry.ts";

/** Shows a cloud's icon, its name and the region. If `isShort` is set, only screen readers get the name. */
export function CloudLabel(props: { readonly cloud: string; readonly region?: string; readonly isShort?: boolean }): ReactNode {
  const { cloud, region = "", isShort = false } = props;
  const title = findCloud(cloud)?.title ?? cloud;
  if (title === "") return null;
  const icon = findCloudView(cloud)?.icon;
  return (
    <span className="cw-cloud" title={[title, region].filter((word) => word !== "").join(", ")}>
      {icon !== undefined && <Icon name={icon} size={15} />}
      <span className={isShort ? "cw-visually-hidden" : region === "" ? undefined : "cw-cloud-name"}>{title}</span>
      {region !== "" && <span className="cw-cut">{region}</span>}
    </span>
  );
}
