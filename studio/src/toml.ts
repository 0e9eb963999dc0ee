// Light colouring of a scene file: comments, tables, keys, strings, numbers, booleans. It need not understand TOML, only never lose a character.

export type Kind = 'comment' | 'table' | 'key' | 'string' | 'number' | 'word' | 'plain';

export interface Token {
  kind: Kind;
  text: string;
}

const TRIPLE = /^("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/;
const STRING = /^("(?:\\.|[^"\\\n])*"?|'[^'\n]*'?)/;
const RULES: [Kind, RegExp][] = [
  ['comment', /^#[^\n]*/],
  ['string', TRIPLE],
  ['string', STRING],
  ['word', /^(?:true|false)\b/],
  ['number', /^[+-]?(?:0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+|\d[\d_]*(?:[-:.\dTZ_]*)(?:[eE][+-]?\d+)?|inf\b|nan\b)/],
  ['plain', /^(?:[A-Za-z_][\w-]*|\s+|[\s\S])/],
];
const TABLE = /^[ \t]*\[{1,2}[^\]\n]*\]{1,2}/;
const KEY = /^[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:[ \t]*\.[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*(?=[ \t]*=)/;
/** A key inside an inline table: after a brace or a comma. */
const INNER_KEY = /^[\w-]+(?=[ \t]*=)/;

export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let rest = text;
  let depth = 0; // inside brackets of a value a line does not begin a statement
  let lineStart = true;
  while (rest) {
    const token = next(rest, lineStart && depth === 0);
    found.push(token);
    rest = rest.slice(token.text.length);
    if (token.kind === 'plain') {
      if (token.text === '[' || token.text === '{') depth += 1;
      if (token.text === ']' || token.text === '}') depth = Math.max(0, depth - 1);
    }
    lineStart = token.kind === 'plain' && token.text.includes('\n');
  }
  return found;
}

function next(rest: string, statement: boolean): Token {
  if (statement) {
    const [table, key] = [TABLE.exec(rest), KEY.exec(rest)];
    if (table) return { kind: 'table', text: table[0] };
    if (key) return { kind: 'key', text: key[0] };
  }
  const inner = INNER_KEY.exec(rest);
  if (inner) return { kind: 'key', text: inner[0] };
  for (const [kind, rule] of RULES) {
    const match = rule.exec(rest);
    if (match?.[0]) return { kind, text: match[0] };
  }
  return { kind: 'plain', text: rest.slice(0, 1) };
}
