/* jali.h — the front door: everything a C caller may use.
 *
 * Three rules hold for every function of its four parts.
 *   Answers     go through out-parameters, written only when JALI_OK is returned.
 *   Arguments   are borrowed for the call; nothing is kept unless its page says so.
 *   Errors      are one sentence in *err (NULL is fine) and name who may read them.
 * The library never prints, never exits and never reads the environment.
 */
#ifndef JALI_H
#define JALI_H

#include "jali/ask.h"   /* spending: ask, why, cluster, profile, contrast, model    */
#include "jali/base.h"  /* errors, progress, documents                             */
#include "jali/trial.h" /* accuracy and attacks; generated tables                   */
#include "jali/vault.h" /* from a file to a vault; its budget; who may come in      */

#endif
