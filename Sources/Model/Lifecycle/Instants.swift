// Exported: times stand in nearly all declarations here, and what imports them needs no other import for that.
@_exported public import Instants
