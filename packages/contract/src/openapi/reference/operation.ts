import type { JsonObject } from "../../entities.ts";
import { renderCurl } from "./curl.ts";
import { follow, listAt, membersOf, objectAt, referredName, textAt } from "./document.ts";
import { html, prose, type Html } from "./html.ts";
import { describeType, renderRules } from "./schema.ts";

/** Renders one operation as a collapsible section with its required role, parameters, responses and a curl command. */
export function renderOperation(document: JsonObject, method: string, path: string, operation: JsonObject): Html {
  const parameters = listAt(operation, "parameters").map((parameter) => follow(document, parameter));
  const platform = operation["x-platform"] === true ? ", platform-wide" : "";
  return html`<details>
    <summary>
      <span class="method ${method.toLowerCase()}">${method}</span> <code class="path">${path}</code>
      <span class="what">${textAt(operation, "summary")}</span>
      <span class="role">${textAt(operation, "x-role")}${platform}</span>
    </summary>
    <div id="${textAt(operation, "operationId")}">${prose(textAt(operation, "description"))}</div>
    <pre><code>${renderCurl(method, path, operation)}</code></pre>
    ${renderParameters(parameters)} ${renderBody(objectAt(operation, "requestBody"))} ${renderResponses(operation)}
    ${renderRpc(textAt(operation, "x-rpc"))}
  </details>`;
}

function renderParameters(parameters: readonly JsonObject[]): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map((parameter) => {
    const schema = objectAt(parameter, "schema");
    return html`<tr>
      <td><code>${textAt(parameter, "name")}</code> <span class="quiet">${textAt(parameter, "in")}</span></td>
      <td>${describeType(schema)}</td>
      <td>${prose(textAt(parameter, "description"))}${renderRules(schema)}</td>
    </tr>`;
  });
  return html`<h4>Parameters</h4>
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Type</th>
          <th>Meaning and rules</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`;
}

function renderBody(body: JsonObject): Html {
  const content = membersOf(objectAt(body, "content"));
  if (content.length === 0) return html``;
  const lines = content.map(([type, media]) => {
    const schema = objectAt(media, "schema");
    const what = schema["maxProperties"] === 0 ? html`an empty object` : describeType(schema);
    return html`<li><code>${type}</code>: ${what}</li>`;
  });
  return html`<h4>Body <span class="quiet">${body["required"] === true ? "required" : "optional"}</span></h4>
    <ul>
      ${lines}
    </ul>`;
}

function renderResponses(operation: JsonObject): Html {
  const responses = membersOf(objectAt(operation, "responses"));
  const own = responses.filter(([, response]) => referredName(response) === "");
  const shared = responses.filter(([, response]) => referredName(response) !== "");
  const links = shared.map(([status, response]) => html`<a href="#answer-${referredName(response)}">${status}</a> `);
  return html`<h4>Answers</h4>
    ${renderAnswers(own)}
    <p>Errors: ${links}</p>`;
}

/** Renders responses as a table. */
export function renderAnswers(answers: readonly [name: string, response: JsonObject][]): Html {
  const rows = answers.map(([name, response]) => {
    const content = membersOf(objectAt(response, "content")).map(
      ([type, media]) => html`<div><code>${type}</code> ${describeType(objectAt(media, "schema"))}</div>`,
    );
    const headers = Object.keys(objectAt(response, "headers"));
    return html`<tr ${/^\d/.test(name) ? "" : html`id="answer-${name}"`}>
      <td><code>${name}</code></td>
      <td>${content}</td>
      <td>
        ${prose(textAt(response, "description"))}${headers.length > 0 ? html`<p class="quiet">Headers: ${headers.join(", ")}</p>` : ""}
      </td>
    </tr>`;
  });
  return html`<table>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function renderRpc(id: string): Html {
  return id === "" ? html`` : html`<p class="quiet">Over gRPC and Connect: <code>/${id}</code></p>`;
}
