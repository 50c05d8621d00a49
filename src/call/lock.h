// The one lock of this room: over the registry, the types, and the objects that handlers hold. It
// is held for a few instructions, and never across code of others (dlopen, initialisers, handlers,
// destructors). A forked child finds it free.
#ifndef TENON_CALL_LOCK_H_
#define TENON_CALL_LOCK_H_

void tn__call_lock(void);
void tn__call_unlock(void);

#endif  // TENON_CALL_LOCK_H_
