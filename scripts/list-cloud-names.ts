import { parseSync, Visitor } from "oxc-parser";

/** A place where a source file names a cloud or one of its services. */
export interface CloudMention {
  readonly line: number;
  readonly word: string;
}

/** Names of clouds and of the services that generic code is most likely to mention. */
const names: ReadonlySet<string> = new Set(["aws", "gcp", "google", "azure", "azurerm", "eks", "gke", "aks", "ec2", "s3", "iam"]);

// Names that do not refer to a cloud: Protobuf packages, a browser, and a public CLI command.
const exceptions = /\bgoogle[./](?:protobuf|api|rpc)\b|\bgoogle-chrome\b|\biam-policy\b/g;

/**
 * Lists the places where source code names a cloud: identifiers such as `awsRegion`, strings, templates, patterns, JSX text and comments.
 * Parts of longer words do not count, such as `aks` in `breaks`.
 */
export function listCloudNames(file: string, source: string): CloudMention[] {
  const { program, comments } = parseSync(file, source);
  const found: CloudMention[] = [];
  const scan = (text: string, start: number): void => {
    for (const { word, index } of listWords(text)) {
      if (names.has(word)) found.push({ line: source.slice(0, start + index).split("\n").length, word });
    }
  };
  const scanNode = ({ start, end }: { readonly start: number; readonly end: number }): void =>
    scan(source.slice(start, end), start);
  new Visitor({
    Identifier: scanNode,
    Literal: scanNode,
    TemplateElement: scanNode,
    JSXText: scanNode,
    JSXIdentifier: scanNode,
    PrivateIdentifier: scanNode,
  }).visit(program);
  for (const { value, start } of comments) scan(value, start + 2);
  return found.toSorted((a, b) => a.line - b.line);
}

/** Lists the places where plain text names a cloud. */
export function listNamesInText(text: string): CloudMention[] {
  return text
    .split("\n")
    .flatMap((content, index) => listWords(content).flatMap(({ word }) => (names.has(word) ? [{ line: index + 1, word }] : [])));
}

/** Splits text into lower-case words: at characters other than letters and digits, and between the parts of an identifier. */
function listWords(text: string): { readonly word: string; readonly index: number }[] {
  const plain = text.replaceAll(exceptions, (match) => " ".repeat(match.length));
  return [...plain.matchAll(/[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+/g)].map((match) => ({
    word: match[0].toLowerCase(),
    index: match.index,
  }));
}
