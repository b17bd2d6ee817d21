/* door/profile.h — what the two files of the verb tell each other. */
#ifndef JALI_DOOR_PROFILE_H
#define JALI_DOOR_PROFILE_H

#include "door/teller.h"

jali_status jali_profile_tell(const jali_telling *t, jali_err *err);

#endif
