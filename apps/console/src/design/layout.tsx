import { createContext, useContext, useEffect, type ReactNode } from "react";
import type { Fault } from "@cloudwright/api-client";
import { toFault } from "../data/client.ts";
import { Icon, type IconName } from "./icons.tsx";
import type { Tone } from "./phase.ts";

/** True inside an element that is already the document's `main` landmark. */
export const MainContext = createContext(false);

/** Renders a page with breadcrumbs, title, actions and content. */
export function Page(props: {
  readonly title: ReactNode;
  /** The plain-text title for the browser tab and screen readers. Required if `title` is not a string. */
  readonly name?: string;
  readonly sub?: ReactNode;
  readonly crumbs?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  const Element = useContext(MainContext) ? "div" : "main";
  const name = props.name ?? (typeof props.title === "string" ? props.title : "");
  useEffect(() => {
    document.title = name === "" ? "Cloudwright" : `${name} · Cloudwright`;
  }, [name]);
  return (
    <Element className="cw-page" id="main" tabIndex={-1}>
      {props.crumbs !== undefined && (
        <nav className="cw-crumbs" aria-label="Breadcrumb">
          {props.crumbs}
        </nav>
      )}
      <div className="cw-title">
        <div>
          <h1>{props.title}</h1>
          {props.sub !== undefined && <div className="cw-sub">{props.sub}</div>}
        </div>
        {props.actions !== undefined && <div className="cw-actions">{props.actions}</div>}
      </div>
      {props.children}
    </Element>
  );
}

/** Renders a framed section of a page with a heading. */
export function Panel(props: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly span?: 3 | 4 | 5 | 6 | 7 | 8;
  /** Removes the padding. Used for tables. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="cw-panel" data-span={props.span}>
      {props.title !== undefined && (
        <header>
          <h2>{props.title}</h2>
          {props.actions !== undefined && <div className="cw-actions">{props.actions}</div>}
        </header>
      )}
      {props.flush === true ? props.children : <div className="cw-body">{props.children}</div>}
    </section>
  );
}

/** Renders a message in a colour that reflects its severity. */
export function Note({
  tone,
  children,
  live = false,
}: {
  readonly tone: Tone;
  readonly children: ReactNode;
  readonly live?: boolean;
}): ReactNode {
  const icon: IconName = tone === "good" ? "check" : tone === "bad" || tone === "warn" ? "alert" : "info";
  return (
    <div className="cw-note" data-tone={tone} role={live ? "alert" : undefined}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

/** Renders a fault: its message, what to do about it, and its code. */
export function FaultNote({
  error,
  ignoreFields = false,
}: {
  readonly error: unknown;
  readonly ignoreFields?: boolean;
}): ReactNode {
  if (error === null || error === undefined) return null;
  const fault = toFault(error);
  const fields: Fault["fields"] = ignoreFields ? [] : fault.fields;
  return (
    <Note tone="bad" live>
      <p>{fault.message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={`${field}${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <p className="cw-muted cw-small">
        <Prose of={fault.help} /> <code>{fault.code}</code>
      </p>
    </Note>
  );
}

/** Renders a string in which backticks mark code. */
export function Prose({ of = "" }: { readonly of?: string | undefined }): ReactNode {
  return of.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

/** Renders a placeholder for an empty list: what is missing and what to do about it. */
export function Empty(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className="cw-empty">
      <Icon name={props.icon} size={30} />
      <h2>{props.title}</h2>
      {props.children !== undefined && <p>{props.children}</p>}
      {props.action}
    </div>
  );
}

/** Renders labels and values in two columns. Entries without a value are omitted. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className="cw-facts">
      {of
        .filter(([, value]) => value !== undefined && value !== "" && value !== null)
        .map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
