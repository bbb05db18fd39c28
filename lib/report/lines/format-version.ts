/** The version of the documents: the minor one rises with fields that are added, the major one with any other change. */
export const FORMAT_VERSION = "1.2";
