import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";
import { RowLink } from "./row-link.tsx";
import { Simulated } from "./status.tsx";

/** Renders an entity on one line: icon, linked name, and a mark if it is simulated. */
export function EntityLabel(props: {
  readonly icon: IconName;
  readonly name: string;
  /** The link target. If undefined, the name is plain text. */
  readonly to?: string | undefined;
  readonly kind?: string | undefined;
  readonly simulated?: boolean | undefined;
}): ReactNode {
  return (
    <span className="cw-entity">
      <Icon name={props.icon} size={16} />
      {props.to === undefined ? <span className="cw-name">{props.name}</span> : <RowLink to={props.to}>{props.name}</RowLink>}
      {props.kind !== undefined && <span className="cw-muted cw-small">{props.kind}</span>}
      <Simulated is={props.simulated} />
    </span>
  );
}
