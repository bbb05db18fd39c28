// The public API of zoneform/rules: the rules language by itself (docs/library.md).
export type * from "./rules-language/ast.ts";
export { compile, compileValue, evaluate } from "./rules-language/evaluate/evaluate.ts";
export { type RequestInput, requestOf } from "./rules-language/evaluate/request.ts";
export type { Request, Value as RequestValue } from "./rules-language/evaluate/values.ts";
export type { Problem, ProblemCode } from "./rules-language/problems.ts";
export { FIELDS, TABLE_DATE, TABLE_SOURCE } from "./rules-language/tables/fields.ts";
export { FUNCTIONS } from "./rules-language/tables/functions.ts";
export { isInPhase } from "./rules-language/tables/phases.ts";
export type { FieldEntry, FunctionEntry, Parameter } from "./rules-language/tables/shape.ts";
export { type ArrayType, type MapType, type Type, typeName } from "./rules-language/types.ts";
export { bytesOfText, textOfBytes } from "./rules-language/utf8.ts";
export { type Parsed, parse, parseValue } from "./rules-language/parser.ts";
export type { ParseOptions } from "./rules-language/names.ts";
export { format } from "./rules-language/format.ts";
