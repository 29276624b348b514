import type { Json, JsonObject } from "../../entities.ts";
import { membersOf, objectAt, referredName, textAt } from "./document.ts";
import { html, prose, type Html } from "./html.ts";

/** Renders a schema as a table of its fields. Fields of inline objects are listed with their full paths. */
function renderSchema(name: string, schema: JsonObject): Html {
  const rules = listTexts(schema, "x-rules");
  return html`<details>
    <summary><code>${name}</code></summary>
    <div id="schema-${name}">${prose(textAt(schema, "description"))}</div>
    ${
      rules.length > 0
        ? html`<ul class="rules">
            ${rules.map((rule) => html`<li>Rule: ${rule}</li>`)}
          </ul>`
        : ""
    }
    ${renderFields(schema)}
  </details>`;
}

function renderFields(schema: JsonObject): Html {
  const rows = listRows(schema, "");
  if (rows.length === 0) return html`<p class="quiet">No fields.</p>`;
  return html`<table>
    <thead>
      <tr>
        <th>Field</th>
        <th>Type</th>
        <th>Meaning and rules</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function listRows(schema: JsonObject, prefix: string): Html[] {
  const required = listTexts(schema, "required");
  return membersOf(objectAt(schema, "properties")).flatMap(([name, field]) => {
    const mark = required.includes(name) ? html` <span class="mark">required</span>` : "";
    const row = html`<tr>
      <td><code>${prefix}${name}</code>${mark}</td>
      <td>${describeType(field)}</td>
      <td>${prose(textAt(field, "description"))}${renderRules(field)}</td>
    </tr>`;
    return [row, ...listRows(field, `${prefix}${name}.`)];
  });
}

/** Describes the type of a value in words. A type with its own schema becomes a link. */
export function describeType(schema: JsonObject): Html {
  const referred = referredName(schema);
  if (referred !== "") return html`<a href="#schema-${referred}">${referred}</a>`;
  const type = schema["type"];
  const names = Array.isArray(type) ? type.map(String) : [textAt(schema, "type") || "anything"];
  const words = names.map((name) => {
    if (name === "array") return html`list of ${describeType(objectAt(schema, "items"))}`;
    const values = objectAt(schema, "additionalProperties");
    return name === "object" && Object.keys(values).length > 0 ? html`map of ${describeType(values)}` : html`${name}`;
  });
  return html`${words.map((word, index) => html`${index > 0 ? " or " : ""}${word}`)}`;
}

/** Renders the rules for a value as a list. */
export function renderRules(schema: JsonObject): Html {
  const items = objectAt(schema, "items");
  const values = objectAt(schema, "additionalProperties");
  const lines = [
    ...listRules(schema),
    ...listRules(items).map((rule) => html`each: ${rule}`),
    ...listRules(objectAt(schema, "propertyNames")).map((rule) => html`keys: ${rule}`),
    ...listRules(values).map((rule) => html`values: ${rule}`),
  ];
  return lines.length > 0
    ? html`<ul class="rules">
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>`
    : html``;
}

function listRules(schema: JsonObject): Html[] {
  const { enum: values, pattern, format } = schema;
  const reference = textAt(schema, "x-reference");
  return [
    ...(schema["readOnly"] === true ? [html`read-only`] : []),
    ...(schema["writeOnly"] === true ? [html`write-only`] : []),
    ...(reference === "" ? [] : [html`names an entity of kind ${reference}`]),
    ...(Array.isArray(values) ? [html`one of ${joinCodes(values)}`] : []),
    ...describeRange("", schema["minimum"], schema["maximum"]),
    ...describeRange(" characters", schema["minLength"], schema["maxLength"]),
    ...describeRange(" items", schema["minItems"], schema["maxItems"]),
    ...describeRange(" entries", schema["minProperties"], schema["maxProperties"]),
    ...(schema["uniqueItems"] === true ? [html`no duplicates`] : []),
    ...(typeof format === "string" ? [html`format ${format}`] : []),
    ...(typeof pattern === "string" ? [html`matches <code>${pattern}</code>`] : []),
  ];
}

function describeRange(unit: string, least: Json | undefined, most: Json | undefined): Html[] {
  if (typeof least === "number" && typeof most === "number") return [html`${least} to ${most}${unit}`];
  if (typeof least === "number") return [html`at least ${least}${unit}`];
  return typeof most === "number" ? [html`at most ${most}${unit}`] : [];
}

function joinCodes(values: readonly Json[]): Html[] {
  return values.map((value, index) => html`${index > 0 ? ", " : ""}<code>${JSON.stringify(value)}</code>`);
}

function listTexts(schema: JsonObject, name: string): string[] {
  const value = schema[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Renders all schemas of a document, each as a collapsible section. */
export function renderSchemas(document: JsonObject): Html[] {
  return membersOf(objectAt(objectAt(document, "components"), "schemas")).map(([name, schema]) => renderSchema(name, schema));
}
