// The few parts of Node.js that bot.js and bot.test.js use, so that `tsc` can check them without other
// packages. If you use more of Node.js, install @types/node in a folder above this one, delete this file
// and write "types": ["node"] in tsconfig.json.

declare const __dirname: string;

declare const console: {
  error(...what: unknown[]): void;
};

declare const process: {
  readonly execPath: string;
  readonly stdin: unknown;
  readonly stdout: { write(text: string): boolean };
  exit(code?: number): never;
};

declare module "readline" {
  function createInterface(options: { input: unknown }): {
    on(event: "line", listener: (line: string) => void): void;
  };
}

declare module "node:child_process" {
  function spawnSync(
    command: string,
    words: string[],
    options: { cwd: string; input: string; encoding: "utf8"; timeout: number },
  ): { status: number | null; signal: string | null; stdout: string; stderr: string };
}

declare module "node:fs" {
  function existsSync(path: string): boolean;
  function readdirSync(path: string): string[];
  function readFileSync(path: string, encoding: "utf8"): string;
}

declare module "node:test" {
  function test(name: string, run: (context: { skip(why: string): void }) => void): void;
  export = test;
}
