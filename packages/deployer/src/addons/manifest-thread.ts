import { parentPort, workerData } from "node:worker_threads";
import { parseAllDocuments } from "yaml";

// The check for unique keys is off, because its running time grows with the square of the number of keys.
const documents = parseAllDocuments(workerData as string, { uniqueKeys: false });
parentPort?.postMessage(documents.map((document) => document.toJS() as unknown).filter((object) => object !== null));
