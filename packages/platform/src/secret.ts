import { inspect } from "node:util";

const hidden = "[secret]";

/** A value that must not be printed. Every conversion to a string returns `[secret]`; only `reveal` returns the value. */
export class Secret<Value = string> {
  readonly #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  reveal(): Value {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}
